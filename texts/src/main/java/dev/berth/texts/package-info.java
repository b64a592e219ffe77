/**
 * The sentences that people read. A <em>catalogue</em> holds them for one <em>language</em>, by
 * key: a family ({@code problem}, {@code reason}, {@code alert}, …) and the stable code that the
 * API shows. A <em>template</em> is one sentence with places for values. The console reads the same
 * files.
 */
@NullMarked
package dev.berth.texts;

import org.jspecify.annotations.NullMarked;
