/** HTTP clients and receivers for tests: a client that sends exact bytes, a recording receiver. */
@NullMarked
package dev.berth.testkit.http;

import org.jspecify.annotations.NullMarked;
