/**
 * Text for terminals and shells. A <em>cell</em> is one column of a terminal (wide characters take
 * two). <em>Clean</em> text contains no terminal control sequence. An <em>amount</em> is a number
 * with its unit, as users type it.
 */
@NullMarked
package dev.berth.cli.text;

import org.jspecify.annotations.NullMarked;
