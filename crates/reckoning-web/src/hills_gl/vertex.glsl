#version 300 es
// Colours are lit and faded here, not pixel by pixel. The sun shines from where the constant leads.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
layout(location = 3) in vec4 row_x;
layout(location = 4) in vec4 row_y;
layout(location = 5) in vec4 row_z;
layout(location = 6) in vec4 tint;
uniform mat4 view;
uniform vec3 eye;
uniform vec3 sky;
uniform vec3 light;
out vec4 shown;

const vec3 SUN = vec3(0.60, -0.44, 0.668);
const float FOG_M = 900.0;

void main() {
  vec4 at = vec4(place, 1.0);
  vec3 world = vec3(dot(row_x, at), dot(row_y, at), dot(row_z, at));
  gl_Position = view * vec4(world, 1.0);
  // Axes may be stretched; normals then lean the other way.
  vec3 x = vec3(row_x.x, row_y.x, row_z.x);
  vec3 y = vec3(row_x.y, row_y.y, row_z.y);
  vec3 z = vec3(row_x.z, row_y.z, row_z.z);
  vec3 up = normalize(x * (normal.x / dot(x, x)) + y * (normal.y / dot(y, y)) + z * (normal.z / dot(z, z)));
  float lit = mix(light.y, light.x, 0.5 + 0.5 * up.z) + light.z * max(dot(up, SUN), 0.0);
  float far = distance(world, eye) / FOG_M;
  // Colours that mean something stay what they are, however bright the sun.
  vec3 own = mix(colour.rgb * lit, tint.rgb * min(lit, 1.05), colour.a);
  shown = vec4(mix(sky, own, exp(-far * far)), tint.a);
}
