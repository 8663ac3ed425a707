import { type Detector, reported } from './detector.ts'
import { detectors } from './detectors.ts'

/** The list of detectors as a page of the documentation, made from the data itself. */
export function detectorsPage(): string {
  const byType = new Map<string, Detector[]>()
  for (const detector of detectors) byType.set(detector.type, [...(byType.get(detector.type) ?? []), detector])
  const rows = [...byType]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([type, list]) => list.map(detector => row(type, detector)))
  return `# What Countersign takes for private

${byType.size} types, ${detectors.length} rules. This page is made from the detectors themselves (\`src/privacy/detectors/\`), whose
examples are their tests. A finding is reported from a score of ${reported} on; rules that score less by themselves need
a word near them that speaks for them, or a text that is nothing but the value. Rules that find something *behind its
label* take any code right after their words (\`claim no. …\`, \`passport: …\`), in whatever groups it is written.

Rules that confirm by checksum or parser say so. Values that manuals use in the place of a secret are not reported:
\`xxxx\`, \`YOUR_API_KEY\`, \`\${VAR}\`, anything that ends in \`EXAMPLE\` (so also AWS's own \`AKIA…EXAMPLE\`).

| type | rule | finds | confirmed | score | with context | alone |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

A value in a field with a sensitive name (\`firstName\`, \`dob\`, \`accountNumber\` …) is reported as what the field says it
is: \`PERSON\`, \`ADDRESS\`, \`DATE_OF_BIRTH\`, \`TAX_ID\`, \`NATIONAL_ID\`, \`CARD_SECURITY_CODE\`, \`PIN\`, \`MEDICAL_RECORD\`
and the types above. A names model, where the user has set one, adds \`PERSON\`, \`LOCATION\` and \`ORGANIZATION\` (rule
\`name-model\`), in the application and in the terminal.

Tokens carry the type (\`[EMAIL_1]\`); a text that already looks like a token becomes \`[LITERAL_1]\`, so that putting back
is exact.
`
}

const row = (type: string, { rule, title, valid, score, near, alone }: Detector): string =>
  `| ${type} | ${rule} | ${title} | ${valid ? 'yes' : ''} | ${score} | ${near ?? ''} | ${alone ?? ''} |`
