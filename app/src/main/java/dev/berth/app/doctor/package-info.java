/**
 * {@code berth doctor}. A <em>check</em> examines one thing that Berth needs and returns a
 * <em>finding</em>: ok, a note, or wrong with a remedy.
 */
@NullMarked
package dev.berth.app.doctor;

import org.jspecify.annotations.NullMarked;
