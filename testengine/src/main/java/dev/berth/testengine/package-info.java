/** A real engine on the fakes of testkit, for tests of modules that need one. */
@NullMarked
package dev.berth.testengine;

import org.jspecify.annotations.NullMarked;
