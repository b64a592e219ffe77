/**
 * What people may set. A <em>key</em> has a name, a <em>kind</em> of value and a usual value; it is
 * <em>written</em> in a YAML file, the environment or the command line, the later one winning. All
 * of it is read and checked whole before anything starts, and shown with where it came from.
 */
@NullMarked
package dev.berth.server.config;

import org.jspecify.annotations.NullMarked;
