// The sketch as a program.
#include "Arduino.h"

void setup();
void loop();

int main() {
  setup();
  for (;;) {
    loop();
    delay(10);
  }
}
