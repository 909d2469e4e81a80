package io.verbena.host;

import java.io.IOException;

class SocketLoopTest extends EngineLoopTest {

    @Override
    EngineLoop open() throws IOException {
        return new SocketLoop(0);
    }
}
