/**
 * {@code berth doctor}. A <em>check</em> looks at one thing that Berth needs and comes to a
 * <em>finding</em>: well, worth knowing, or wrong with what to do about it.
 */
@NullMarked
package dev.berth.app.doctor;

import org.jspecify.annotations.NullMarked;
