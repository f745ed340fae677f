"""Commands with a time limit, and servers that answer a line with lines."""
import json
import os
import queue
import signal
import subprocess
import threading
import time


class Patience:
    """What every time limit is multiplied with."""
    factor = 1.0


class Log:
    """log.txt: every command and all that it wrote."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8", errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, text):
        self.file.write(text if text.endswith("\n") else text + "\n")
        self.file.flush()


class Answer:
    """How a command ended: status (None where it ran past its limit), seconds, output."""

    def __init__(self, status, seconds, output):
        self.status, self.seconds, self.output = status, seconds, output

    def ending(self, limit):
        """Why it is not right, in words; empty where it ended with 0."""
        if self.status is None:
            return f"it ran past {limit * Patience.factor:.0f} s"
        if self.status < 0:
            return f"it was ended by signal {-self.status} ({signal.Signals(-self.status).name})"
        return f"it ended with status {self.status}" if self.status else ""

    def message(self):
        """Its first line that tells of an error, else its last one."""
        lines = self.output.strip().splitlines() or [""]
        return next((line for line in lines if "error:" in line), lines[-1])

    def tail(self, lines=5):
        return "\n".join(self.output.strip().splitlines()[-lines:])


def end(process):
    """Ends a process and what it started: both are in a session of their own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(command, limit, environment=None, log=None):
    """Runs a command for at most `limit` seconds, times patience; standard output and error together."""
    command = [str(part) for part in command]
    start = time.monotonic()
    if log:
        log.write(f"\n$ {' '.join(command)}")
    try:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return Answer(127, 0, f"{command[0]}: {error.strerror}")
    try:
        output, _ = process.communicate(timeout=limit * Patience.factor)
        status = process.returncode
    except subprocess.TimeoutExpired:
        end(process)
        output, status = process.communicate()[0], None
    answer = Answer(status, time.monotonic() - start, output.decode(errors="replace"))
    if log:
        log.write(answer.output + f"\n[status {status}, {answer.seconds:.1f} s]")
    return answer


class ServerFailed(Exception):
    """The server ended or did not answer in time."""


class Server:
    """A program that reads names and answers each with lines of JSON and {"done": name}. It is started when it is
    needed, and again after it failed."""

    def __init__(self, command, environment, log):
        self.command = [str(part) for part in command]
        self.environment, self.log, self.process = environment, log, None

    def _start(self):
        self.log.write(f"\n$ {' '.join(self.command)}")
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log.file, start_new_session=True, text=True,
                                        errors="replace")
        self.lines = queue.Queue()

        def forward(stream, lines):
            for line in stream:
                lines.put(line)
            lines.put(None)

        threading.Thread(target=forward, args=(self.process.stdout, self.lines), daemon=True).start()

    def ask(self, name, limit):
        """The records for a name; ServerFailed where they did not come within `limit` seconds, times patience."""
        try:
            if self.process is None:
                self._start()
            self.process.stdin.write(name + "\n")
            self.process.stdin.flush()
        except OSError as error:
            self.close()
            raise ServerFailed(f"{self.command[0]} cannot be asked: {error}") from error
        records, until = [], time.monotonic() + limit * Patience.factor
        while True:
            try:
                line = self.lines.get(timeout=max(until - time.monotonic(), 0))
            except queue.Empty:
                self.close()
                raise ServerFailed(f"no answer within {limit * Patience.factor:.0f} s") from None
            if line is None:
                status = self.process.wait()
                self.close()
                raise ServerFailed(Answer(status, 0, "").ending(limit) or "it ended before it answered")
            self.log.write(line)
            try:
                record = json.loads(line)
            except ValueError:
                continue  # what a library printed
            if isinstance(record, dict) and record.get("done") == name:
                return records
            if isinstance(record, dict):
                records.append(record)

    def close(self):
        if self.process is not None:
            end(self.process)
            self.process = None
