#version 300 es
precision mediump float;
in vec4 shown;
out vec4 pixel;
void main() { pixel = shown; }
