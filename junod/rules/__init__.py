"""Rules a household declares: '{trigger, action}' as data, applied by code in a fixed order. They execute nothing else.

`listen` finds a declaration in what was said, `patterns` reads what is sure, `asking` has the language model fill the
slots of what is not, and `check` holds both against the words spoken. `apply` and `view` carry rules out.
"""
