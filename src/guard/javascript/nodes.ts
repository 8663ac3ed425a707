/** Kinds of node that the lowering reads from their text. */
export const javaScriptLeaves: ReadonlySet<string> = new Set([
  'identifier',
  'property_identifier',
  'private_property_identifier',
  'shorthand_property_identifier',
  'shorthand_property_identifier_pattern',
  'statement_identifier',
  'number',
  'string',
  'regex',
  'optional_chain',
])
/** Types say nothing about what runs. */
export const javaScriptHidden: ReadonlySet<string> = new Set([
  'comment',
  'html_comment',
  'hash_bang_line',
  'type_annotation',
  'type_parameters',
  'type_arguments',
  'interface_declaration',
  'type_alias_declaration',
  'accessibility_modifier',
  'override_modifier',
  'predefined_type',
  'type_identifier_annotation',
  'asserts_annotation',
  'type_predicate_annotation',
  'index_signature',
  'optional_chain',
  'function_signature',
  'implements_clause',
  'string_fragment',
  'escape_sequence',
])

/** Kinds of node whose children are told apart by order alone. */
export const javaScriptFieldless: ReadonlySet<string> = new Set([
  'program',
  'statement_block',
  'expression_statement',
  'arguments',
  'parenthesized_expression',
  'array',
  'object',
  'template_string',
  'return_statement',
  'lexical_declaration',
  'variable_declaration',
  'formal_parameters',
  'await_expression',
])
