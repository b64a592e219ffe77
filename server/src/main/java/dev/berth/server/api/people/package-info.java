/** Users with their shares, use and limits. */
@NullMarked
package dev.berth.server.api.people;

import org.jspecify.annotations.NullMarked;
