"""Runs a command in a terminal of its own and presses keys: keys.py ROWS COLUMNS SECONDS:KEYS... -- COMMAND...
KEYS are text with escapes; "TERM" and "HUP" send the command that signal. Prints what the terminal got, a line
"=== SCREEN" at each clearing, and then whether the terminal is as it was, and the command's status."""
import fcntl, os, pty, select, signal, struct, sys, termios, time

split = sys.argv.index("--")
rows, columns = int(sys.argv[1]), int(sys.argv[2])
plan = [(float(seconds), keys) for seconds, keys in (word.split(":", 1) for word in sys.argv[3:split])]
command = sys.argv[split + 1:]
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
before = termios.tcgetattr(theirs)
child = os.fork()
if child == 0:
    os.close(ours)
    os.login_tty(theirs)
    os.execvp(command[0], command)
got, begin, status = b"", time.time(), None
while True:
    while plan and time.time() - begin >= plan[0][0]:
        keys = plan.pop(0)[1]
        if keys in ("TERM", "HUP"):
            os.kill(child, getattr(signal, "SIG" + keys))
        else:
            os.write(ours, keys.encode().decode("unicode_escape").encode())
    if select.select([ours], [], [], 0.05)[0]:
        got += os.read(ours, 65536)
        continue
    if status is not None:
        break
    ended, code = os.waitpid(child, os.WNOHANG)
    if ended:
        status = os.waitstatus_to_exitcode(code)
    elif time.time() - begin > 120:
        os.kill(child, signal.SIGKILL)
after = termios.tcgetattr(theirs)
text = got.decode(errors="replace").replace("\r\n", "\n").replace("\x1b[H\x1b[2J", "\n=== SCREEN\n")
print(text)
same = before[:6] == after[:6] and before[6] == after[6]
shown = got.rfind(b"\x1b[?1049l") > got.rfind(b"\x1b[?1049h")
print("=== terminal", "as before" if same else "changed", "screen", "back" if shown else "kept", "status", status)
