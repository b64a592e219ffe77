/** Commands about GPUs: their state, their quarantine, and their use by each user. */
@NullMarked
package dev.berth.cli.command.gpu;

import org.jspecify.annotations.NullMarked;
