"""One expert of a crowd, as a process: asks, answers, and writes down what was acknowledged."""

import sys

from studies.scenes import pool, says

import activepu as apu


def main(url, expert, log, rows):
    with open(log, "a", buffering=1) as acknowledged, apu.Study.load(url, "s", pool(rows)) as study:
        while True:
            try:
                for q in study.open(expert) or study.ask(expert, 2):
                    in_time = study.tell(q.token, says(q.item))
                    acknowledged.write(f"{q.number} {q.item} {int(says(q.item))} {int(in_time)}\n")
            except (apu.StorageFailed, apu.AnswerRefused):
                continue


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
