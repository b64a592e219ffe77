/** {@code berth models}: the models whose workers keep them loaded. */
@NullMarked
package dev.berth.cli.command.model;

import org.jspecify.annotations.NullMarked;
