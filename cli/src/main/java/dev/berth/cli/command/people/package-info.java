/** Commands about users and groups: shares, limits and reservations. */
@NullMarked
package dev.berth.cli.command.people;

import org.jspecify.annotations.NullMarked;
