"""Entry point: the only place where an error is shown to a person."""

from __future__ import annotations

import logging
import os
import sys


def main() -> None:
    from junod.cli.app import app
    from junod.errors import JunodError
    from junod.seclusion import report_without_values

    report_without_values()

    try:
        app()
    except JunodError as error:
        logging.getLogger("junod").debug("failed", exc_info=error)
        print(f"junod: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output left (`junod memories list | head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
