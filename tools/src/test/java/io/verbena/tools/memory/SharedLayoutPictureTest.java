package io.verbena.tools.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SharedLayoutPictureTest {

    @Test
    void picture_isTheOneOfTheDocumentation() throws IOException {
        String drawn = SharedLayoutPicture.draw();
        Path picture = Path.of("../docs/generated/shared-memory-layout.svg");
        if (Boolean.getBoolean("verbena.write")) {
            Files.writeString(picture, drawn);
        }
        assertEquals(Files.readString(picture), drawn, "write it again: run this test with -Dverbena.write=true");
        assertTrue(
                Files.readString(Path.of("../docs/shared-memory.md")).contains("(generated/shared-memory-layout.svg)"));
    }
}
