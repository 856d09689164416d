/* The registers of an ATmega328P as variables, so that a source of the firmware can be compiled for
 * this machine and each of its registers looked at. They do nothing by themselves. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>

#define A_REGISTER __attribute__((weak)) volatile uint8_t

A_REGISTER UDR0, UCSR0A, UCSR0B, UCSR0C;
A_REGISTER PINB, PINC, PIND, PORTB, PORTC, PORTD, DDRB, DDRC;
A_REGISTER PCICR, PCMSK0, PCMSK2;
__attribute__((weak)) volatile uint16_t UBRR0;

enum { U2X0 = 1, DOR0 = 3, UCSZ00 = 1, UCSZ01 = 2, TXEN0 = 3, RXEN0 = 4, UDRIE0 = 5, RXCIE0 = 7 };
enum { PCIE0 = 0, PCIE2 = 2, PCINT4 = 4, PB4 = 4, PC0 = 0, PC4 = 4, PC5 = 5 };

#endif
