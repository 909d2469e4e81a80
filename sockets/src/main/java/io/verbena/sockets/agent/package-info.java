/**
 * The agent that installs the provider of this module in a JVM, by one option: {@code
 * -javaagent:verbena-sockets-agent.jar=rdma=LIST}.
 */
@NullMarked
package io.verbena.sockets.agent;

import org.jspecify.annotations.NullMarked;
