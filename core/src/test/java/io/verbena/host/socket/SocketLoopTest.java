package io.verbena.host.socket;

import io.verbena.host.engine.EngineLoop;
import io.verbena.host.engine.EngineLoopTest;
import java.io.IOException;

class SocketLoopTest extends EngineLoopTest {

    @Override
    public EngineLoop open() throws IOException {
        return new SocketLoop(0);
    }
}
