/** Commands about access: tokens for programs and login links for browsers. */
@NullMarked
package dev.berth.cli.command.token;

import org.jspecify.annotations.NullMarked;
