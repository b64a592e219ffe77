/** Logs of tasks, and log files bound to tasks of command files. */
@NullMarked
package dev.berth.server.api.log;

import org.jspecify.annotations.NullMarked;
