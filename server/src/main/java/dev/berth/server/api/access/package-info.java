/** The caller, tokens, and logins of browsers. */
@NullMarked
package dev.berth.server.api.access;

import org.jspecify.annotations.NullMarked;
