/** Who did what: the stored events by actor, kind, task and time. */
@NullMarked
package dev.berth.server.api.audit;

import org.jspecify.annotations.NullMarked;
