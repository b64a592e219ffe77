/**
 * What happened, as typed values. The <em>payload</em> of an event has the fields of its own kind;
 * an alert also has a level. The <em>codec</em> converts a payload to its stored form and back: the
 * word of its kind and a map of texts.
 */
@NullMarked
package dev.berth.port.event;

import org.jspecify.annotations.NullMarked;
