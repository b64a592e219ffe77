/**
 * What the engine asks of the world: a <em>store</em> that keeps <em>changes</em> for ever, a
 * <em>node</em> that starts and ends attempts and reports <em>facts</em>, and <em>failpoints</em>
 * where a test may stop the program.
 */
@NullMarked
package dev.berth.engine.port;

import org.jspecify.annotations.NullMarked;
