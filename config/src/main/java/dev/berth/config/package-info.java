/**
 * The configuration. A <em>key</em> has a name, a value type and a default. Its value is set in a
 * YAML file, in the environment or on the command line; the later source has precedence. The whole
 * configuration is read and validated before anything starts, and each value is shown with its
 * source. <em>Rules</em> can be changed while the server runs; <em>settings</em> take effect at the
 * next start.
 */
@NullMarked
package dev.berth.config;

import org.jspecify.annotations.NullMarked;
