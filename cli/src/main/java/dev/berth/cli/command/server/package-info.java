/**
 * Commands about the server itself: health, configuration, scheduling rules, alerts, receivers of
 * notifications, and the removal of leftovers.
 */
@NullMarked
package dev.berth.cli.command.server;

import org.jspecify.annotations.NullMarked;
