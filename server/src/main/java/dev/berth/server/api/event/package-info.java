/** Past events and the live event stream. */
@NullMarked
package dev.berth.server.api.event;

import org.jspecify.annotations.NullMarked;
