/** Kinds of node that the lowering reads from their text. */
export const pythonLeaves: ReadonlySet<string> = new Set(['identifier', 'integer', 'float', 'type', 'import_prefix'])
export const pythonHidden: ReadonlySet<string> = new Set([
  'comment',
  'line_continuation',
  'string_start',
  'string_content',
  'string_end',
  'type_conversion',
  'type_parameter',
])

/** Kinds of node whose children are told apart by order alone. */
export const pythonFieldless: ReadonlySet<string> = new Set([
  'module',
  'block',
  'expression_statement',
  'argument_list',
  'parenthesized_expression',
  'list',
  'tuple',
  'string',
  'concatenated_string',
  'comparison_operator',
  'return_statement',
  'dictionary',
  'parameters',
  'expression_list',
  'pattern_list',
  'conditional_expression',
  'interpolation',
])
