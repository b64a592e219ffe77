/**
 * HTTP without the API's content. A <em>route</em> has a method, a path, an access level,
 * documentation and an action; all routes are in one <em>route table</em>. An action turns a
 * request into a response or throws a rejection, which is also a response.
 */
@NullMarked
package dev.berth.http;

import org.jspecify.annotations.NullMarked;
