/**
 * Reservations: GPUs that are kept for a user, for a group or for nobody during a <em>window</em>
 * of time, once or every week.
 */
@NullMarked
package dev.berth.core.reserve;

import org.jspecify.annotations.NullMarked;
