/** Which part of the report answers which question of which framework. */
export const controls: readonly { framework: string; asks: string; parts: string }[] = [
  {
    framework: 'SOC 2 · CC6.1, CC6.3',
    asks: 'Is access to act on data restricted, and is it granted by someone entitled to?',
    parts: '3 (reviewer and signature of each action), 8 (log-ins, identities, policy changes)',
  },
  {
    framework: 'SOC 2 · CC7.2, CC7.3',
    asks: 'Are anomalies noticed, looked into and kept?',
    parts: '4 (findings), 5 (unforeseen effects), 7 (refusals, network)',
  },
  {
    framework: 'SOC 2 · CC8.1',
    asks: 'Are changes authorised and tested before they take effect?',
    parts: '3 (decision bound to the code’s hash), 8 (settings and policy)',
  },
  {
    framework: 'HIPAA · 45 CFR §164.312(b)',
    asks: 'Do mechanisms record and examine activity where health information is used?',
    parts: '1 (method), 2, 3 (activity), 8 (who read the record), A (integrity)',
  },
  {
    framework: '21 CFR Part 11 · §11.10(e)',
    asks: 'Is there a secure, computer-generated, time-stamped trail that does not obscure earlier information?',
    parts: '1 (append-only chain), 3 (who, when, what), 8 (removals by retention), A (proof)',
  },
  {
    framework: '21 CFR Part 11 · §11.50, §11.70',
    asks: 'Do signatures show name, time and meaning, and are they tied to their record?',
    parts: '3 (reviewer, time, verdict, signature over the code’s hash)',
  },
  {
    framework: 'SOX · §302, §404',
    asks: 'Can figures be traced to the calculation that made them and to who approved it?',
    parts: '3 (code, output, approval), 6 (resources), A (hashes)',
  },
  {
    framework: 'GDPR · Art. 30, Art. 5(2)',
    asks: 'Who processed what, for how long is it kept, and can it be shown?',
    parts: '1 (scope), 7 (reveals), 8 (exports, erasures, retention)',
  },
]
