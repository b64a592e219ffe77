/**
 * The ports of the engine: a <em>store</em> that keeps <em>changes</em>, a <em>node</em> that
 * starts and ends attempts and reports <em>facts</em>, and <em>failpoints</em> where a test stops
 * the program.
 */
@NullMarked
package dev.berth.port;

import org.jspecify.annotations.NullMarked;
