import { type Detector, finder } from './detector.ts'

const row = (rule: string, title: string, score: number, found: string[], ignored: string[]): Detector => ({
  rule,
  type: 'PERSON',
  title,
  find: finder,
  score,
  examples: { found, ignored },
})

/** Names by rule. A model, where there is one, is a second signal beside these (`names/`). */
export const names: readonly Detector[] = [
  row(
    'name-title',
    'Name after a title',
    0.8,
    ['Dr. Jane Doe will see you', 'ask Mr Okonkwo', 'Frau Müller-Lüdenscheidt'],
    ['Dr. of Law', 'Miss the bus', 'Mr. and Mrs.'],
  ),
  row(
    'name-salutation',
    'Name after a salutation',
    0.7,
    ['Dear Siobhan,', 'Hi Xiulan!'],
    ['Dear Customer,', 'Hello World!', 'Hi there,', 'Dear Sir,'],
  ),
  row(
    'name-signature',
    'Name under a letter',
    0.7,
    ['Kind regards,\nAoife Brennan', 'Thanks,\n\nBob'],
    ['Thanks,\nsee you', 'Regards,\n\nThe Team'],
  ),
  row(
    'name-label',
    'Name behind a label',
    0.75,
    ['Patient: Jane Doe', 'Name: Ravi'],
    ['Name: build', 'Customer: Acme'],
  ),
  row(
    'name-known',
    'Known first and last name',
    0.8,
    ['said Mary Murphy today', 'Will Smith called', "Seán O'Brien and John Q. Kelly"],
    ['Will Congress act', 'James Street', 'Murphy Mary'],
  ),
  row(
    'name-first',
    'Known first name and a surname',
    0.65,
    ['we met Priya Venkataraman there'],
    ['met Priya there', 'John Street', 'Austin Texas', 'Oliver University'],
  ),
  row(
    'name-introduced',
    'Name after an introduction',
    0.7,
    ['my name is Xiulan', 'I am Patrick and'],
    ['the name is here', 'this is April'],
  ),
]
