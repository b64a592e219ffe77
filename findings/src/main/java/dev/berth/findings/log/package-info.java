/** Log text as plain lines, without the terminal sequences for colours and cursor movement. */
@NullMarked
package dev.berth.findings.log;

import org.jspecify.annotations.NullMarked;
