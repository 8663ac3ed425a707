import type { Searched } from './bm25.ts'

/** Tools of invented servers: `name: what it does: parameters`. */
const written: Readonly<Record<string, string>> = {
  books: `
create_invoice: Creates a sales invoice for a customer with its lines, tax and due date: customer lines due_date currency
list_invoices: Lists sales invoices by status, customer or period: status customer from to
get_invoice: Returns one invoice with its lines and payments: invoice
void_invoice: Voids an invoice that was issued by mistake: invoice reason
create_credit_note: Creates a credit note against an invoice: invoice amount
list_bills: Lists supplier bills with due dates and status: supplier status due_before
create_bill: Enters a supplier bill: supplier lines due_date
get_balance_sheet: Returns the balance sheet at a date: date
get_profit_and_loss: Returns income and expenses of a period, optionally by tracking category: from to tracking_category
get_trial_balance: Returns the trial balance: date
get_aged_receivables: Returns unpaid customer invoices grouped by age: date customer
get_aged_payables: Returns unpaid supplier bills grouped by age: date supplier
send_payment_reminder: Sends a reminder for an overdue invoice to its customer: invoice tone
match_transactions: Matches lines of a bank statement to ledger entries: account from to
create_journal_entry: Posts a manual journal entry: lines date narration
list_journal_entries: Lists entries of the general ledger: account from to
list_accounts: Returns the chart of accounts: type
list_fixed_assets: Lists fixed assets with cost and book value: category
compute_depreciation: Computes the depreciation of a fixed asset for a period: asset from to method
list_tax_rates: Returns tax rates that can be put on lines:
close_period: Closes an accounting period for further postings: period`,
  bank: `
list_accounts: Lists bank accounts with IBAN and currency:
get_balance: Returns the booked and available balance of an account: account
list_transactions: Lists transactions of an account in a period: account from to
get_statement: Downloads the statement of an account for a month as CAMT or PDF: account month format
prepare_payment_run: Prepares a batch of payments for bills that fall due, for signing: due_before account
get_payment_status: Returns the status of a payment order: payment
cancel_payment: Cancels a payment order that was not executed yet: payment
list_standing_orders: Lists standing orders and direct debits: account
forecast_cash: Projects the balance from open invoices, bills and standing orders: weeks`,
  tax: `
check_vat_number: Validates a VAT identification number with the member state: number country
compute_vat_return: Computes the boxes of a VAT return from the ledger: period
get_vat_return: Returns a VAT return that was submitted: period
submit_vat_return: Submits a VAT return to the tax office: period
list_obligations: Lists filing obligations and deadlines: year
get_withholding_rate: Returns the withholding tax rate of a treaty: country_from country_to income_type
list_certificates: Lists residence and withholding certificates on file: country year
compute_corporate_tax: Computes corporate income tax for a year: year`,
  rates: `
get_exchange_rate: Returns the exchange rate between two currencies on a date: from to date
get_reference_rate: Returns a reference rate of a central bank such as ECB, SONIA or SOFR: name date
convert_amount: Converts an amount from one currency to another: amount from to date
list_currencies: Lists supported currencies:
get_rate_history: Returns a time series of exchange rates: from to start end
get_yield_curve: Returns the yield curve of a government: country date`,
  compliance: `
screen_person: Screens a person against sanctions, watch and PEP lists: name birth_date nationality
screen_company: Screens a company against sanctions and watch lists: name country
get_beneficial_owners: Returns the ultimate beneficial owners of a company: company
get_company_profile: Returns the register entry of a company: number country
open_case: Opens a compliance case about a party: party reason
list_alerts: Lists open alerts of transaction monitoring: severity
close_alert: Closes an alert with a reason: alert reason
get_risk_score: Returns the risk score of a customer with its factors: customer`,
  payroll: `
list_employees: Lists employees with contract and department: department
list_payslips: Lists payslips of a month: month employee
get_payslip: Returns one payslip: payslip
run_payroll: Computes the payroll of a month: month
find_duplicate_payments: Finds salaries that were paid more than once: month
list_absences: Lists holidays and sick leave: employee from to
update_salary: Changes the salary of an employee from a date: employee amount from`,
  forge: `
list_commits: Lists commits of a branch, newest first: repository branch since
search_commits: Searches commits by message, author or date: repository query
compare_revisions: Shows the differences between two revisions: repository base head
get_file_contents: Returns a file of a repository at a revision: repository path ref
create_pull_request: Opens a pull request: repository title head base
list_pull_requests: Lists pull requests: repository state
merge_pull_request: Merges a pull request: repository number
review_pull_request: Adds a review to a pull request: repository number body event
create_issue: Opens an issue: repository title body
list_issues: Lists issues: repository state labels
comment_on_issue: Adds a comment to an issue: repository number body
search_code: Searches code in all repositories: query
create_branch: Creates a branch: repository name from
list_workflow_runs: Lists runs of the continuous integration: repository
get_release: Returns a release with its notes: repository tag`,
  'team-chat': `
post_message: Posts a message to a channel or a person: channel text
list_channels: Lists channels:
get_thread: Returns the replies of a thread: channel thread
add_reaction: Adds an emoji reaction to a message: channel message emoji
search_messages: Searches messages: query
get_user_profile: Returns the profile of a member: user
set_status: Sets the status line of the user: text`,
  mail: `
send_message: Sends an e-mail with attachments: to subject body attachments
search_messages: Searches the mailbox by sender, subject, text or attachment: query folder
get_message: Returns an e-mail: message
create_draft: Saves a draft: to subject body
move_message: Moves an e-mail to a folder: message folder
list_folders: Lists folders of the mailbox:
download_attachment: Downloads an attachment: message attachment`,
  calendar: `
create_event: Creates an appointment and invites people: title start end attendees
list_events: Lists appointments of a period: from to
update_event: Changes an appointment: event
delete_event: Cancels an appointment: event
find_free_time: Finds a time at which all are free: attendees duration`,
  browser: `
navigate: Opens an address in the browser: url
take_screenshot: Takes a screenshot of the page or of an element: selector full_page
click: Clicks an element: selector
type_text: Types text into a field: selector text
fill_form: Fills several fields of a form at once: fields
save_as_pdf: Saves the page as PDF: path
get_page_text: Returns the text of the page: selector
wait_for: Waits for a text or an element: selector
evaluate_script: Evaluates JavaScript in the page: script
list_network_requests: Lists requests of the page:
upload_file: Uploads a file through a file chooser: selector path
go_back: Goes back to the page before:`,
  warehouse: `
run_query: Runs a read-only SQL query and returns its rows: sql limit
list_tables: Lists tables of a schema: schema
describe_table: Returns columns, types and keys of a table: table
export_table: Exports a table as Parquet or CSV: table format
explain_query: Returns the plan of a query: sql
list_schemas: Lists schemas:
get_table_lineage: Shows where the data of a table comes from: table`,
  dashboards: `
list_dashboards: Lists dashboards: folder
export_dashboard: Exports a dashboard with its figures as CSV or image: dashboard format
get_panel_data: Returns the series of one panel: dashboard panel
create_alert_rule: Creates a rule that raises an alarm: expression threshold`,
  storage: `
put_object: Uploads an object to a bucket: bucket key body
get_object: Downloads an object: bucket key
delete_object: Deletes an object for good: bucket key
list_objects: Lists objects of a bucket by prefix: bucket prefix
create_presigned_url: Creates a link that expires: bucket key expires`,
  'files-archive': `
search_documents: Full-text search over all archived documents: query type from to
get_document: Returns an archived document: document
store_document: Archives a document with its retention period: file type retention
delete_document: Deletes a document whose retention is over: document
list_retention_rules: Lists retention rules:`,
  notes: `
create_page: Creates a page: parent title content
search_pages: Searches titles and text of pages: query
append_blocks: Appends blocks to a page: page blocks
query_database: Queries a database of pages with filters: database filter
get_page: Returns a page: page`,
  crm: `
list_contacts: Lists contacts: company
create_contact: Creates a contact: name email company
add_note: Adds a note to a contact or a company: contact text
list_deals: Lists deals of the pipeline: stage
update_deal: Moves a deal to another stage: deal stage
get_company: Returns a company with its contacts: company
log_call: Logs a phone call: contact summary`,
  tickets: `
create_ticket: Creates a ticket: project title description
list_tickets: Lists tickets: project status assignee
add_comment: Adds a comment to a ticket: ticket text
transition_ticket: Moves a ticket to another status: ticket status
assign_ticket: Assigns a ticket to somebody: ticket assignee
get_ticket: Returns a ticket with its history: ticket`,
  projects: `
list_projects: Lists projects with customer and manager: status
get_project_costs: Returns hours and costs of a project by month: project
list_budget_overruns: Lists projects whose costs are above their budget: threshold
log_time: Logs hours worked on a task: project task hours
list_timesheets: Lists timesheets of a week: employee week`,
  cluster: `
list_pods: Lists pods of a namespace: namespace
get_pod_logs: Returns the log of a container: pod container
scale_deployment: Changes the number of replicas: deployment replicas
apply_manifest: Applies a manifest: manifest
delete_resource: Deletes a resource of the cluster: kind name
describe_resource: Describes a resource with its events: kind name`,
}

const things = 'supplier customer item warehouse_location purchase_order shipment price_list contract asset department'
const verbs: Readonly<Record<string, string>> = {
  list: 'Lists',
  get: 'Returns',
  create: 'Creates',
  update: 'Changes',
  delete: 'Deletes',
}

/** What a server lists that was made from a database: five verbs for each of its tables. */
const generated = (server: string): Searched[] =>
  things.split(' ').flatMap(thing =>
    Object.entries(verbs).map(([verb, does]) => ({
      server,
      name: `${verb}_${thing}`,
      description: `${does} a ${thing.replace('_', ' ')} of the ${server} system`,
      parameters: verb === 'list' ? ['limit', 'offset'] : ['id'],
    })),
  )

export const corpus: readonly Searched[] = [
  ...Object.entries(written).flatMap(([server, lines]) =>
    lines
      .trim()
      .split('\n')
      .map(line => {
        const [name = '', description = '', parameters = ''] = line.split(':').map(part => part.trim())
        return { server, name, description, parameters: parameters.split(' ').filter(Boolean) }
      }),
  ),
  ...['erp', 'shop', 'logistics', 'fleet'].flatMap(generated),
]
