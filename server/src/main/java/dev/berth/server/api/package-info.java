/**
 * The resources, one file each. A <em>form</em> reads a request's body field by field into values
 * of the core; <em>words</em> turn values of the core into what travels, in this one place.
 */
@NullMarked
package dev.berth.server.api;

import org.jspecify.annotations.NullMarked;
