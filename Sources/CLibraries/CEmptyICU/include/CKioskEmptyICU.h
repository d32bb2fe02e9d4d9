// Nothing to call: what matters is in EmptyICU.c.
