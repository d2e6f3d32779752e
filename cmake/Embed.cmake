# chandler_embed(TARGET SYMBOL_HEADER DIR PATTERN...): makes the files below DIR part of TARGET; see tools/embed.py.
