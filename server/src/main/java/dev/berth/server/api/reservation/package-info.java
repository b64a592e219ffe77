/** Reservations of GPUs. */
@NullMarked
package dev.berth.server.api.reservation;

import org.jspecify.annotations.NullMarked;
