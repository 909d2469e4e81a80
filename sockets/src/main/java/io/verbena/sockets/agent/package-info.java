/**
 * The agent that makes the provider of this module the provider of a JVM, by one option: {@code
 * -javaagent:verbena-sockets-agent.jar=rdma=LIST}.
 */
@NullMarked
package io.verbena.sockets.agent;

import org.jspecify.annotations.NullMarked;
