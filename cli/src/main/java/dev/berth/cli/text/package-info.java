/**
 * Text for people and shells. A <em>cell</em> is one column of a terminal (wide characters take
 * two); <em>clean</em> text holds nothing that a terminal would obey; an <em>amount</em> is a
 * number as people write it, with its unit.
 */
@NullMarked
package dev.berth.cli.text;

import org.jspecify.annotations.NullMarked;
