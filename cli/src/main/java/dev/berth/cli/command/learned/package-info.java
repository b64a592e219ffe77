/** {@code berth models}: the models whose workers keep them loaded. */
@NullMarked
package dev.berth.cli.command.learned;

import org.jspecify.annotations.NullMarked;
