#!/bin/bash
# Each place at which fisql makes a call that can fail, and each 97th of all such calls: tests/e2e/self_faults.sh, whole.
WHOLE=yes exec "$(dirname "$0")/../e2e/self_faults.sh"
