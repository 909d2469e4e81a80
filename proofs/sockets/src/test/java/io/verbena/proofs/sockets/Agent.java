package io.verbena.proofs.sockets;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.sockets.agent.AgentJar;
import java.io.IOException;
import java.nio.file.Path;

/** Programs that use sockets only, which a provider of channels does not reach. */
final class Agent {

    private Agent() {}

    /** A JVM with the agent, except over the sockets of the JDK. */
    static Program program(Carrier carrier, Path directory) throws IOException {
        Program program = new Program(carrier, directory);
        return carrier == Carrier.PLAIN ? program : program.with("-javaagent:" + AgentJar.make(_ -> {}));
    }
}
