/**
 * What tests are made of: a <em>fake</em> behaves as the real thing does, and a <em>contract</em>
 * is the abstract test that both must pass. Nothing here is part of the program.
 */
@NullMarked
package dev.berth.testkit;

import org.jspecify.annotations.NullMarked;
