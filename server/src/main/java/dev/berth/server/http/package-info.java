/**
 * A <em>route</em> is a method, a path, who may use it, its documentation and its <em>action</em>;
 * all of them are in one <em>table</em>. A <em>call</em> is a request that found its route; it ends
 * in an <em>answer</em>, or in a <em>refusal</em>, which is an answer too.
 */
@NullMarked
package dev.berth.server.http;

import org.jspecify.annotations.NullMarked;
