/**
 * The test library. A <em>fake</em> implements a port in memory; a <em>contract</em> is the
 * abstract test that the fake and the real implementation both pass. Nothing here is part of the
 * product.
 */
@NullMarked
package dev.berth.testkit;

import org.jspecify.annotations.NullMarked;
