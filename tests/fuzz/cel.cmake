chandler_fuzz(cel_parse DEPS cel READS cel/lexer.cc cel/parser.cc cel/printer.cc)
chandler_fuzz(cel_eval DEPS cel READS cel/checker.cc cel/evaluator.cc cel/value.cc cel/arithmetic.cc cel/library.cc
  cel/library_format.cc cel/library_lists.cc cel/library_quantity.cc cel/library_text.cc)
